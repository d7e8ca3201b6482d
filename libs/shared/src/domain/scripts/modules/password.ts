import { Secret } from "../../../platform/crypto/secret.ts";
import { hashArgon2 } from "../../passwords/argon2.ts";
import { readStoredPassword } from "../../passwords/parse-stored-password.ts";
import type { PasswordVerifier } from "../../passwords/verifier.ts";
import { type HostFunctions, textArgument } from "./host.ts";

const maxPasswordBytes = 4096;

/** `password`: comparison with a backend's stored password, off the event loop, and hashing with Argon2id. */
export function passwordModule(verifier: Pick<PasswordVerifier, "verify">): HostFunctions {
  return {
    "password.verify": async ([storedArgument, passwordArgument], { deadline, signal }) => {
      const stored = textArgument(storedArgument, "stored");
      const password = new Secret(textArgument(passwordArgument, "password"));
      const isRight = await verifier.verify(stored, password, { deadline, signal });
      const reason = readStoredPassword(stored);
      // Nil: a fault of the site's data, which is not the user's.
      return reason === "unknown_scheme" || reason === "damaged" ? undefined : isRight;
    },
    "password.hash": async ([password], { signal }) => {
      const text = textArgument(password, "password");
      if (Buffer.byteLength(text) > maxPasswordBytes) throw new RangeError("password is too long");
      return hashArgon2(text, signal);
    },
  };
}
