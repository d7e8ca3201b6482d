"""A service provider with pysaml2: reads commands and writes answers, a JSON object a line."""

import json
import sys

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, BINDING_SOAP
from saml2.client import Saml2Client
from saml2.config import SPConfig
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256


def make_client(options):
    origin, key, cert = options["origin"], options["key"], options["cert"]
    acs, slo = f"{origin}/acs", f"{origin}/slo"
    service = {
        "endpoints": {
            "assertion_consumer_service": [(acs, BINDING_HTTP_POST)],
            "single_logout_service": [(slo, BINDING_HTTP_REDIRECT), (slo, BINDING_SOAP)],
        },
        "authn_requests_signed": True,
        "logout_requests_signed": True,
        "logout_responses_signed": True,
        "want_assertions_signed": True,
        "want_response_signed": True,
        "signing_algorithm": SIG_RSA_SHA256,
        "digest_algorithm": DIGEST_SHA256,
        "allow_unknown_attributes": True,
    }
    config = SPConfig()
    config.load(
        {
            "entityid": options["entityId"],
            "service": {"sp": service},
            "key_file": key,
            "cert_file": cert,
            "encryption_keypairs": [{"key_file": key, "cert_file": cert}],
            "metadata": {"local": [options["metadata"]]},
            "accepted_time_diff": 60,
        }
    )
    return Saml2Client(config)


def place_of(answer):
    return dict(answer["headers"])["Location"]


class Provider:
    def __init__(self, options):
        self.client = make_client(options)
        self.idp = options["idp"]
        self.outstanding = {}
        self.name_id = None

    def login(self, _):
        request, answer = self.client.prepare_for_authenticate(
            entityid=self.idp, relay_state="/page", sign=True, sigalg=SIG_RSA_SHA256
        )
        self.outstanding[request] = "/page"
        return {"location": place_of(answer)}

    def acs(self, command):
        response = self.client.parse_authn_request_response(
            command["response"], BINDING_HTTP_POST, outstanding=self.outstanding
        )
        self.name_id = response.name_id
        return {"attributes": response.ava}

    def logout(self, _):
        asked = self.client.global_logout(self.name_id, sign=True, sign_alg=SIG_RSA_SHA256, digest_alg=DIGEST_SHA256)
        binding, answer = asked[self.idp]
        return {"location": place_of(answer), "binding": binding}

    def logout_response(self, command):
        response = self.client.parse_logout_request_response(command["response"], BINDING_HTTP_REDIRECT)
        return {"status": response.response.status.status_code.value}

    def logout_request(self, command):
        """A request by Redirect, whose signature is that of the query."""
        answer = self.client.handle_logout_request(
            command["request"],
            self.name_id,
            BINDING_HTTP_REDIRECT,
            sign=True,
            sign_alg=SIG_RSA_SHA256,
            digest_alg=DIGEST_SHA256,
            relay_state=command["relayState"],
            sigalg=command["sigAlg"],
            signature=command["signature"],
        )
        return {"location": place_of(answer)}


def main():
    provider = None
    for line in sys.stdin:
        command = json.loads(line)
        try:
            if command["do"] == "start":
                provider = Provider(command)
                answer = {}
            else:
                answer = getattr(provider, command["do"])(command)
        except Exception as error:  # The test reads what failed.
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


main()
