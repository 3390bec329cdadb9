"""Ensembles: weighted lists of networks; averages, shares of classes, diversity and predictions."""
