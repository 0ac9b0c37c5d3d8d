"""The functions of pycanon and anjana over this library: their answers, and each that differs by name."""

from __future__ import annotations

import json
import math
import warnings

import pytest

import denym
from denym.compat.anjana import anonymity as anjana
from denym.compat.pycanon import anonymity, metrics, report

# Where pycanon does not compute what was published; the functions' docstrings say how.
DIFFERS = {"entropy_l_diversity", "recursive_c_l_diversity", "enhanced_beta_likeness"}


@pytest.fixture
def adult(shared):
    import pandas

    return pandas.read_csv(shared / "data" / "adult" / "adult.csv", sep=";")


def generalized(frame, shared, columns, levels):
    """A frame with each column at its level."""
    import pandas

    frame = frame.copy()
    for name, level in zip(columns, levels):
        rows = pandas.read_csv(shared / "data" / "adult" / f"adult_hierarchy_{name}.csv", sep=";", header=None, dtype=str)
        frame[name] = frame[name].astype(str).map(dict(zip(rows[0], rows[level])))
    return frame


def test_the_recorded_answers_of_pycanon(shared, adult):
    vectors = json.loads((shared / "vectors" / "adult-promises.json").read_text())["vectors"]
    checked = 0
    for vector in vectors:
        if vector["suppress_classes_below"]:
            continue
        frame = generalized(adult, shared, vector["qi"], vector["levels"])
        for attribute, expected in vector["sensitive"].items():
            for name, answer in expected["pycanon"].items():
                function = name.removesuffix("_int")
                if function in DIFFERS or isinstance(answer, str):
                    continue
                arguments = (frame, vector["qi"]) if function == "k_anonymity" else (frame, vector["qi"], [attribute])
                found = getattr(anonymity, function)(*arguments)
                if isinstance(answer, list):
                    assert found == pytest.approx(tuple(answer), rel=1e-9), (vector["id"], name)
                else:
                    assert found == pytest.approx(answer, rel=1e-9), (vector["id"], name)
                checked += 1
            reference = expected["reference"]
            real = reference["entropy_l_real"]
            assert anonymity.entropy_l_diversity(frame, vector["qi"], [attribute]) == math.floor(real + 1e-9)
            beta = anonymity.enhanced_beta_likeness(frame, vector["qi"], [attribute])
            holds = reference["enhanced_beta_bound_holds_at_beta_max"]
            assert beta == (pytest.approx(reference["basic_beta"]) if holds else math.inf)
        utility = vector.get("utility_pycanon")
        if utility:
            qi = vector["qi"]
            assert metrics.average_ecsize(adult, frame, qi) == pytest.approx(utility["average_ecsize"])
            assert metrics.discernability_metric(adult, frame, qi) == utility["discernability_metric"]
            assert metrics.average_rir(frame, qi) == pytest.approx(utility["average_rir"])
            assert metrics.max_rir(frame, qi) == pytest.approx(utility["max_rir"])
            for key, value in utility["sizes_ec"].items():
                assert metrics.sizes_ec(frame, qi)[key] == pytest.approx(value), key
            checked += 5
    assert checked > 60, checked


def test_where_pycanon_is_wrong():
    import pandas

    frame = pandas.DataFrame({"zip": ["1"] * 4, "ill": ["flu", "hiv", "flu", "hiv"]})
    # Two values in equal shares: an effective number of 2, where pycanon says 1.
    assert anonymity.entropy_l_diversity(frame, ["zip"], ["ill"]) == 2
    # Three of one and one of another: 3 < c * 1 first holds for c = 4, where pycanon says 1.
    frame = pandas.DataFrame({"zip": ["1"] * 4, "ill": ["flu", "flu", "flu", "hiv"]})
    assert anonymity.recursive_c_l_diversity(frame, ["zip"], ["ill"]) == (4.0, 2)
    # Somebody whose zip is missing stands alone; pycanon does not see them.
    frame = pandas.DataFrame({"zip": ["1", "1", None]})
    assert anonymity.k_anonymity(frame, ["zip"]) == 1
    # Both values are as frequent; one of them is the majority, and half of the records are not of it.
    frame = pandas.DataFrame({"zip": ["1", "1"], "ill": ["flu", "hiv"]})
    assert metrics.classification_metric(frame, frame, ["zip"], ["ill"]) == 0.5


def test_several_sensitive_attributes_and_reports(capsys):
    import pandas

    frame = pandas.DataFrame(
        {"zip": ["1", "1", "1", "1"], "ill": ["flu", "hiv", "flu", "hiv"], "pay": [1, 2, 1, 3], "job": ["a", "a", "a", "b"]}
    )
    assert anonymity.l_diversity(frame, ["zip"], ["ill", "job"]) == 2
    # With the other sensitive attribute known, the group of job b is one person.
    assert anonymity.l_diversity(frame, ["zip"], ["ill", "job"], gen=False) == 1
    values = json.loads(report.get_json_report(frame, ["zip"], ["ill"]))
    assert values["k_anonymity"] == {"k": 4} and values["t_closeness"] == {"t": 0}
    report.print_report(frame, ["zip"], ["ill"])
    assert "k-anonymity with k = 4" in capsys.readouterr().out
    for wrong in ((["absent"], ["ill"]), (["zip"], ["absent"])):
        with pytest.raises(ValueError, match="absent"):
            anonymity.l_diversity(frame, *wrong)
    assert metrics.sa_entropy(frame, "ill") == pytest.approx(math.log(2))
    assert metrics.stats_quasi_ident(frame, "pay")["max_freq_value"] == 1


def hierarchies_of(shared, columns):
    import pandas

    found = {}
    for name in columns:
        rows = pandas.read_csv(shared / "data" / "adult" / f"adult_hierarchy_{name}.csv", sep=";", header=None, dtype=str)
        found[name] = {level: rows[level].tolist() for level in rows.columns}
    return found


NINE = {
    "k_anonymity": {},
    "alpha_k_anonymity": {"alpha": 0.8},
    "l_diversity": {"l_div": 2},
    "entropy_l_diversity": {"l_div": 1.5},
    "recursive_c_l_diversity": {"c": 4, "l_div": 2},
    "basic_beta_likeness": {"beta": 2},
    "enhanced_beta_likeness": {"beta": 2},
    "t_closeness": {"t": 0.5},
    "delta_disclosure": {"delta": 3},
}


@pytest.mark.parametrize("name", NINE)
def test_the_nine_anonymizations(name, shared, adult):
    quasi = ["sex", "age", "race", "education"]
    frame = adult[[*quasi, "native-country", "salary-class"]].copy()
    known = hierarchies_of(shared, quasi)
    sensitive = () if name == "k_anonymity" else ("salary-class",)
    arguments = (frame, ["native-country"], quasi, *sensitive)
    # What is compared with the distribution of the source can be measured again only where nothing was suppressed.
    compares = name in ("basic_beta_likeness", "enhanced_beta_likeness", "t_closeness", "delta_disclosure")
    found = getattr(anjana, name)(*arguments, k=10, supp_level=0 if compares else 10, hierarchies=known, **NINE[name])
    assert list(found.columns) == list(frame.columns) and set(found["native-country"]) == {"*"}
    assert len(found) >= 0.9 * len(frame)
    assert anonymity.k_anonymity(found, quasi) >= 10
    measured = denym.audit(found, quasi=quasi, sensitive="salary-class").sensitive["salary-class"]
    assert {
        "k_anonymity": True,
        "alpha_k_anonymity": measured["alpha"] <= 0.8,
        "l_diversity": measured["distinct_l"] >= 2,
        "entropy_l_diversity": measured["entropy_l_real"] >= 1.5 - 1e-9,
        "recursive_c_l_diversity": (measured["recursive_c_infimum_by_l"]["2"] or math.inf) < 4,
        "basic_beta_likeness": measured["basic_beta"] <= 2,
        "enhanced_beta_likeness": measured["enhanced_beta_bound_holds_at_beta_max"] and measured["basic_beta"] <= 2,
        "t_closeness": measured["t_equal_distance"] <= 0.5,
        "delta_disclosure": measured["delta_ln_present_values_only"] < 3 and not measured["delta_strict_is_infinite"],
    }[name], measured
    assert list(found.index) == list(range(len(found))), "no record keeps its number"


def test_what_cannot_be_is_an_empty_frame_and_a_warning():
    import pandas

    frame = pandas.DataFrame({"age": [1, 2], "ill": ["a", "a"]})
    known = {"age": {0: [1, 2], 1: ["*", "*"]}}
    with pytest.warns(UserWarning, match="nothing is released"):
        assert len(anjana.l_diversity(frame, [], ["age"], "ill", 2, 2, 0, known)) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(anjana.k_anonymity(frame, [], ["age"], 2, 0, known)["age"]) == {"*"}
    for wrong in ({"k": 0, "supp_level": 0}, {"k": 2, "supp_level": 101}):
        with pytest.raises(ValueError):
            anjana.k_anonymity(frame, [], ["age"], hierarchies=known, **wrong)
