"""How much data does it take, where is it hard, and what do algorithms reach?"""
