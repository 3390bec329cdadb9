"""Network files in XML: XMLBIF, and XDSL of GeNIe."""
