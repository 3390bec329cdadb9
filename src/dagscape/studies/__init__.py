"""Studies: methods run many times, to see how far their results depend on the settings."""
