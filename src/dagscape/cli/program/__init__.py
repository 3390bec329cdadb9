"""The program around the subcommands: signals, streams, output, exit codes."""
