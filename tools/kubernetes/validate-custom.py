"""Validates the custom resources of a rendered file by the schemas of their definitions. Fields without a schema are errors.

Usage: validate-custom.py RENDERED DEFINITION…. Needs PyYAML and jsonschema. Rules in CEL are not evaluated.
"""
import sys
from pathlib import Path

import jsonschema
import yaml


# Definitions contain `=` as a value, which PyYAML takes for a type of its own.
yaml.SafeLoader.add_constructor("tag:yaml.org,2002:value", lambda _, node: node.value)


def closed(schema):
    """The schema of a definition without its tolerance for unknown fields, which the API server drops."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    result = {}
    for key, value in schema.items():
        if key == "properties":
            result[key] = {name: closed(one) for name, one in value.items()}
        elif not key.startswith("x-kubernetes-") and key != "default":
            result[key] = closed(value)
    if schema.get("x-kubernetes-int-or-string"):
        result["type"] = ["integer", "string"]
    is_open = schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema
    if schema.get("type") == "object" and "properties" in schema and not is_open:
        result["additionalProperties"] = False
    return result


def main(rendered, *definitions):
    schemas = {}
    for path in definitions:
        for document in yaml.safe_load_all(Path(path).read_text()):
            if not document or document.get("kind") != "CustomResourceDefinition":
                continue
            spec = document["spec"]
            for version in spec["versions"]:
                schema = closed(version["schema"]["openAPIV3Schema"])
                # The API server has its own schema of these.
                schema["properties"]["metadata"] = {"type": "object", "required": ["name", "namespace"]}
                schemas[f"{spec['group']}/{version['name']}", spec["names"]["kind"]] = schema
    groups = {version.split("/")[0] for version, _ in schemas}
    checked = 0
    for document in yaml.safe_load_all(Path(rendered).read_text()):
        if not document or document["apiVersion"].split("/")[0] not in groups:
            continue
        name = f"{document['kind']} {document['metadata']['name']}"
        schema = schemas.get((document["apiVersion"], document["kind"]))
        if schema is None:
            sys.exit(f"{name}: no definition of {document['apiVersion']}")
        errors = list(jsonschema.Draft7Validator(schema).iter_errors(document))
        for error in errors:
            print(f"{name}: {error.json_path}: {error.message}", file=sys.stderr)
        if errors:
            sys.exit(1)
        checked += 1
    print(checked)


main(*sys.argv[1:])
