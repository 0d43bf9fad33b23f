"""For your data: scikit-learn estimators on bags of instances."""
