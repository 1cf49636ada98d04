# SPDX-License-Identifier: Apache-2.0
"""check_json.py SCHEMA FILE...: each FILE is JSON as the standard has it (no NaN) and is valid under SCHEMA (draft 2020-12)."""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("check_json.py needs the Python module jsonschema (Debian: python3-jsonschema)")


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failed = False
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8", errors="strict") as file:
            document = json.load(file, parse_constant=no_constant)
        for error in validator.iter_errors(document):
            print(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
            failed = True
    sys.exit(1 if failed else 0)


main()
