"""Chapter 5 of [chen2016]: ancestor relations."""
