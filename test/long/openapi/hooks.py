"""Extends Schemathesis with CBOR and with answers whose body may be absent."""

import cbor2
import schemathesis
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance


@schemathesis.serializer("application/cbor")
def encode(ctx, value):
    return cbor2.dumps(value)


@schemathesis.deserializer("application/cbor")
def decode(ctx, response):
    return cbor2.loads(response.content)


def may_be_empty(response, case):
    """Whether the answer has no body and is marked x-empty-body. Then its media type and schema do not matter."""
    documented = case.operation.responses.find_by_status_code(response.status_code)
    return not response.content and documented is not None and documented.definition.get("x-empty-body") is True


@schemathesis.check
def content_type_of_body(ctx, response, case):
    return None if may_be_empty(response, case) else content_type_conformance(ctx, response, case)


@schemathesis.check
def schema_of_body(ctx, response, case):
    return None if may_be_empty(response, case) else response_schema_conformance(ctx, response, case)
