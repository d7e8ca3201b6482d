import { hash } from "@node-rs/argon2";
import { Secret } from "../../../platform/crypto/secret.ts";
import type { PasswordVerifier } from "../../passwords/verifier.ts";
import { textArgument } from "./arguments.ts";
import type { HostFunctions } from "./host.ts";

const maxPasswordBytes = 4096;

/** `password`: comparison with a backend's stored password, off the event loop, and hashing with Argon2id. */
export function passwordModule(verifier: Pick<PasswordVerifier, "verify">): HostFunctions {
  return {
    "password.verify": async ([stored, password], { deadline, signal }) =>
      verifier.verify(textArgument(stored, "stored"), new Secret(textArgument(password, "password")), {
        deadline,
        signal,
      }),
    "password.hash": async ([password], { signal }) => {
      const text = textArgument(password, "password");
      if (Buffer.byteLength(text) > maxPasswordBytes) throw new RangeError("password is too long");
      return hash(text, { memoryCost: 19_456, timeCost: 2, parallelism: 1 }, signal);
    },
  };
}
