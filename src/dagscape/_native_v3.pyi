from dagscape._native import *
