"""Checks that JSON Schemas are valid by draft 2020-12, and that they accept and refuse the given values.

Reads an array of {"schema": ..., "accepts": [...], "refuses": [...]}; prints a line for each mistake.
"""

import json
import sys

from jsonschema import Draft202012Validator

for case in json.load(sys.stdin):
    schema = case["schema"]
    if schema.get("$schema") != Draft202012Validator.META_SCHEMA["$id"]:
        print(f"{schema.get('title')}: is of another draft")
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for value in case["accepts"]:
        for error in validator.iter_errors(value):
            print(f"{schema['title']}: refuses {json.dumps(value)}: {error.message}")
    for value in case["refuses"]:
        if validator.is_valid(value):
            print(f"{schema['title']}: accepts {json.dumps(value)}")
