"""Arguments and options that several subcommands share."""
