"""What every room uses: errors, checks, wording, sets, clocks, seeds, progress, resources, kernels and files."""
