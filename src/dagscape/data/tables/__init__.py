"""Tables as they come: text, Parquet and data frames, with columns and missing cells."""
