"""Chapter 4 of [chen2016]: sums over orders on many processors."""
