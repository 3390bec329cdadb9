"""Chapter 6 of [chen2016]: prerequisites of skills (COMMAND)."""
