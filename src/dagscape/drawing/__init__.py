"""Pictures of graphs: layers and places, then SVG, matplotlib or Graphviz source."""
