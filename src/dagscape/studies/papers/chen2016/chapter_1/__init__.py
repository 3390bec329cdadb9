"""Chapter 1 of [chen2016]: introduction."""
