"""Chapter 2 of [chen2016]: curriculum learning."""
