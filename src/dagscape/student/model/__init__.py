"""Student models: parameters, inference, prediction, evaluation and simulation."""
