"""What scikit-learn's checks ask of weights, and models that choose by held-out bags do not do."""

#: given to `check_estimator`; what holds instead is in tests/estimators/test_bag_weights.py
BY_HELD_OUT_BAGS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "a bag of weight two is held out whole, the same bag twice in two parts: penalties and"
        " epochs that held-out bags choose differ"
    )
}
