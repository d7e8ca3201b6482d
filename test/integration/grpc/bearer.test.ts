import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { status } from "@grpc/grpc-js";
import { freePort, scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { authMethod, type Called, grpcClient } from "../../support/grpc-client.ts";
import { startStack } from "../../support/stack.ts";
import { createTokenIssuer } from "../../support/token-issuer.ts";

const issuerUrl = "https://idp.example.test";

const codeAndTime = ({ code, tookMs }: Called) => ({ code, isDelayed: tookMs >= 295 });

test("Bearer callers over gRPC (contract, Caller rejection outcomes)", async () => {
  await using folder = await scratchFolder();
  const issuer = await createTokenIssuer(issuerUrl);
  const jwksFile = join(folder.path, "jwks.json");
  await writeFile(jwksFile, JSON.stringify(issuer.jwks));
  const address = `127.0.0.1:${await freePort()}`;
  await using stack = await startStack({
    redis: true,
    settings: {
      runtime: { servers: { grpc: { authority: { enabled: true, address } } } },
      auth: { backchannel: { oidc_bearer: { enabled: true, issuer: issuerUrl, jwks_file: jwksFile } } },
    },
  });
  using client = grpcClient(address);
  const ask = async (claims: Readonly<Record<string, unknown>>, name: "Authenticate" | "LookupIdentity") => {
    const authorization = `Bearer ${await issuer.token(claims)}`;
    return client.call(authMethod(name), { username: alice.username, password: alice.password }, { authorization });
  };

  // The base scope is enough for each method, as for each mode over HTTP.
  for (const name of ["Authenticate", "LookupIdentity"] as const) {
    expect((await ask({}, name)).message).toMatchObject({ ok: true });
  }
  const unscoped = await ask({ scope: "service:security" }, "Authenticate");
  expect(codeAndTime(unscoped)).toEqual({ code: status.PERMISSION_DENIED, isDelayed: false });
  expect(unscoped.details).toBe("missing scope service:authenticate");
  const rejected = { code: status.UNAUTHENTICATED, isDelayed: true };
  expect(codeAndTime(await ask({ exp: 1 }, "Authenticate"))).toEqual(rejected);
  expect(codeAndTime(await ask({ token_type: "id_token" }, "Authenticate"))).toEqual(rejected);

  await stack.redis?.stop();
  const undecided = await ask({}, "Authenticate");
  expect(codeAndTime(undecided)).toEqual({ code: status.UNAVAILABLE, isDelayed: false });
});
