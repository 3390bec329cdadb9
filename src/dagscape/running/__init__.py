"""Work that is spread over processes and saved on the way: workers, repetitions, checkpoints."""
