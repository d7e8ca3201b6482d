import { createHmac, createSecretKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import fc from "fast-check";
import { type JWTPayload, jwtVerify, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { type SignatureAlgorithm, type SignatureRules, verifySignature } from "./verify-signature.ts";

const nowMs = 1_790_000_000_000;
const now = nowMs / 1000;
const issuer = "https://idp.example.test";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed = generateKeyPairSync("ed25519");
const secret = createSecretKey(Buffer.alloc(32, 7));

interface Signer {
  readonly algorithm: SignatureAlgorithm;
  readonly signing: KeyObject;
  readonly verifying: KeyObject;
}

const signers: readonly Signer[] = [
  { algorithm: "HS256", signing: secret, verifying: secret },
  { algorithm: "RS256", signing: rsa.privateKey, verifying: rsa.publicKey },
  { algorithm: "PS256", signing: rsa.privateKey, verifying: rsa.publicKey },
  { algorithm: "ES256", signing: ec.privateKey, verifying: ec.publicKey },
  { algorithm: "EdDSA", signing: ed.privateKey, verifying: ed.publicKey },
];

const good: JWTPayload = { iss: issuer, sub: "alice", iat: now, exp: now + 60 };

function sign(payload: JWTPayload, { algorithm, signing }: Signer): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg: algorithm }).sign(signing);
}

function rules({ algorithm, verifying }: Signer): SignatureRules {
  return { key: verifying, algorithm, issuer, nowMs, skewSeconds: 10 };
}

describe.each(signers)("$algorithm", (signer) => {
  test("accepts what another library signed", async () => {
    expect(verifySignature(await sign(good, signer), rules(signer))).toEqual({ payload: good });
  });

  test("rejects every changed character, without throwing", async () => {
    const token = await sign(good, signer);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom("A", "b", "0", "_", ".", "=", " ", "é"), (at, letter) => {
        const changed = token.slice(0, at) + letter + token.slice(at + 1);
        fc.pre(changed !== token);
        expect(verifySignature(changed, rules(signer))).toHaveProperty("reason");
      }),
    );
  });

  test("rejects a truncated, extended or empty signature, without throwing", async () => {
    const token = await sign(good, signer);
    const unsigned = token.slice(0, token.lastIndexOf(".") + 1);
    for (const changed of [token.slice(0, -4), `${token}AAAA`, unsigned, unsigned.slice(0, -1), `${token}.AAAA`]) {
      expect(verifySignature(changed, rules(signer))).toHaveProperty("reason");
    }
  });

  test("rejects a token of every other algorithm's key", async () => {
    for (const other of signers.filter(({ algorithm }) => algorithm !== signer.algorithm)) {
      expect(verifySignature(await sign(good, other), rules(signer))).toEqual({ reason: "signature" });
    }
  });
});

describe("claims", () => {
  const signer: Signer = { algorithm: "HS256", signing: secret, verifying: secret };
  const time = fc.oneof(fc.integer({ min: now - 30, max: now + 30 }), fc.constant(undefined));

  test("are validated like the reference library does", async () => {
    await fc.assert(
      fc.asyncProperty(time, time, fc.constantFrom(issuer, "https://other.example.test"), async (exp, nbf, iss) => {
        const token = await sign(JSON.parse(JSON.stringify({ ...good, exp, nbf, iss })), signer);
        const reference = await jwtVerify(token, secret, {
          issuer,
          clockTolerance: 10,
          currentDate: new Date(nowMs),
          requiredClaims: ["exp"],
        }).then(
          () => true,
          () => false,
        );
        expect("payload" in verifySignature(token, rules(signer))).toBe(reference);
      }),
    );
  });

  test.each([
    [{ exp: now - 10 }, "expired"],
    [{ nbf: now + 11 }, "not_yet_valid"],
    [{ iss: "https://idp.example.test/" }, "issuer"],
  ])("%j is rejected as %s", async (change, reason) => {
    expect(verifySignature(await sign({ ...good, ...change }, signer), rules(signer))).toEqual({ reason });
  });

  test("a payload that is not an object is malformed", () => {
    for (const body of ["[]", "null", "7", "{"]) {
      const signed = `e30.${Buffer.from(body).toString("base64url")}`;
      const token = `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
      expect(verifySignature(token, rules(signer))).toEqual({ reason: "malformed" });
    }
  });

  test("a signature has only one encoding: other characters for the same bytes are malformed", async () => {
    const token = await sign(good, signer);
    const last = token.at(-1) ?? "";
    const same = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_").filter((letter) => {
      const [one, other] = [last, letter].map((end) =>
        Buffer.from(`${token.slice(0, -1).split(".")[2]}${end}`, "base64url"),
      );
      return letter !== last && one?.equals(other ?? Buffer.alloc(0)) === true;
    });
    expect(same.length).toBeGreaterThan(0);
    for (const letter of same) {
      expect(verifySignature(`${token.slice(0, -1)}${letter}`, rules(signer))).toEqual({ reason: "malformed" });
    }
  });

  test("an expiry that is not a time is rejected", () => {
    for (const exp of ["99999999999", null, undefined]) {
      const signed = `e30.${Buffer.from(JSON.stringify({ ...good, exp })).toString("base64url")}`;
      const token = `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
      expect(verifySignature(token, rules(signer))).toEqual({ reason: "claims" });
    }
  });
});
