import { messages } from "../messages.ts";
import type { Judgement } from "./checks.ts";
import { choice, dayMs, duration, integer, liveSection, section, text, texts, yearMs } from "./fields.ts";
import type { Config } from "./root.ts";

export const riskModes = ["off", "observe", "enforce"] as const;
/** What is done about a level, in the order in which it is done. */
export const riskResponses = ["notify", "delay", "second_factor", "hold_submission", "hold_mail", "deny"] as const;

const longestDelayMs = 8000;

const weight = (value: number, description: string) => integer(value, description, { maximum: 100 });

const Weights = section("Weight of each signal. 0 disables the signal.", {
  new_source: weight(15, "Neither the network nor its autonomous system was used for the account before."),
  new_country: weight(35, "The country was not used for the account before."),
  new_client: weight(10, "The family of the mail client or browser was not used for the account before."),
  impossible_travel: weight(30, "The distance to the last ordinary sign-in needs more than limits.travel_speed."),
  many_countries: weight(30, "Sign-ins from limits.countries_per_hour countries within an hour."),
  many_systems: weight(35, "Sign-ins from limits.systems_per_hour autonomous systems within an hour."),
  many_submissions: weight(
    50,
    "Sign-ins for the submission of mail from unknown networks: limits.submissions_per_hour within an hour, and a fifth more than the account ever had.",
  ),
  scattered_submissions: weight(
    65,
    "Sign-ins for the submission of mail from limits.submission_networks unknown networks within an hour.",
  ),
  guessed_account: weight(
    20,
    "Wrong passwords for the account came from limits.guessing_networks networks within two hours.",
  ),
  spraying_source: weight(
    30,
    "The network sent wrong passwords for limits.sprayed_accounts accounts within two hours, and for twice as many as signed in.",
  ),
  strange_accounts: weight(
    30,
    "The network signed in within two hours to limits.strange_accounts accounts that did not know it, which are most of its accounts.",
  ),
  listed_network: weight(30, "The network is in a file of reputation_files, on a line without a weight."),
  leaked_password: weight(25, "The password is in the file leaked_passwords_file."),
  legacy_protocol: weight(
    20,
    "A protocol of legacy_protocols was used with a password only, from an unknown network, although the account has a second factor.",
  ),
});

const responses = (value: readonly string[]) =>
  texts(
    "Responses with `enforce`: `notify`, `delay`, `second_factor`, `hold_submission`, `hold_mail` and `deny`. Known networks and devices are never refused.",
    { default: value },
  );

const score = (value: number, level: string) =>
  integer(value, `Score from which a sign-in is ${level}.`, { minimum: 1, maximum: 1000 });

/** Sign-ins with a stolen password (ADR 0173). */
export const Risk = liveSection(
  "Detection of stolen passwords: each sign-in with a correct password gets a score. Active if auth.controls.enabled contains brute_force.",
  {
    mode: choice(
      riskModes,
      "With `observe`, scores are computed, logged and counted, and change no decision. With `enforce`, the responses apply. With `off`, nothing is stored or computed.",
      { default: "observe" },
    ),
    suspicious: section("The lower level.", {
      score: score(50, "suspicious"),
      responses: responses(["notify"]),
    }),
    dangerous: section("The upper level. Its responses apply in place of those of the lower level.", {
      score: score(115, "dangerous"),
      responses: responses(["notify", "delay", "hold_submission"]),
    }),
    delay: duration(
      "3s",
      "Delay of the response `delay`. A response is never delayed beyond runtime.timeouts.decision.",
      { maximum: longestDelayMs },
    ),
    hold_for: duration(
      "6h",
      "Time for which `hold_mail` refuses all mail protocols, and `hold_submission` the submission of mail, to unknown networks. A confirmed sign-in ends it.",
      { minimum: 60_000, maximum: 7 * dayMs },
    ),
    retention: duration("2160h", "Time after which facts that were not seen again are removed.", {
      minimum: dayMs,
      maximum: yearMs,
    }),
    learn_for: duration("168h", "Time from the first sign-in of an account in which novelty raises no signal.", {
      maximum: yearMs,
    }),
    known_after: duration(
      "24h",
      "Time from the first sign-in after which a network without suspicious sign-ins is known.",
      { maximum: yearMs },
    ),
    weights: Weights,
    limits: section("Numbers from which signals are raised.", {
      travel_speed: integer(1000, "Fastest plausible travel.", { unit: "km/h", minimum: 100 }),
      countries_per_hour: integer(3, "Countries in an hour.", { minimum: 2, maximum: 12 }),
      systems_per_hour: integer(4, "Autonomous systems in an hour.", { minimum: 2, maximum: 12 }),
      submissions_per_hour: integer(5, "Submissions of mail from unknown networks in an hour.", {
        minimum: 2,
        maximum: 1000,
      }),
      submission_networks: integer(4, "Unknown networks that submit mail in an hour.", { minimum: 2, maximum: 100 }),
      guessing_networks: integer(10, "Networks with wrong passwords for one account.", { minimum: 2, maximum: 400 }),
      sprayed_accounts: integer(10, "Accounts with wrong passwords from one network.", { minimum: 3, maximum: 400 }),
      strange_accounts: integer(10, "Accounts with correct passwords from one network that they did not know.", {
        minimum: 3,
        maximum: 400,
      }),
    }),
    legacy_protocols: texts("Mail protocols, which ask for a password only. `hold_mail` refuses them.", {
      default: ["imap", "imaps", "pop3", "pop3s", "smtp", "smtps", "submission", "sieve"],
      form: "protocol",
    }),
    submission_protocols: texts("Protocols that submit mail. `hold_submission` refuses them.", {
      default: ["smtp", "smtps", "submission"],
      form: "protocol",
    }),
    city_file: text(
      "Path of a file in MaxMind's format with countries and locations, such as GeoLite2-City.mmdb. Read again when it is replaced. If empty or absent, places raise no signal.",
      { reload: "restart" },
    ),
    system_file: text("Path of a file in MaxMind's format with autonomous systems, such as GeoLite2-ASN.mmdb.", {
      reload: "restart",
    }),
    reputation_files: texts(
      "Paths of files with networks of bad reputation: one `NETWORK [WEIGHT]` a line, and comments after `#` or `;`. Read again when they are replaced.",
      { reload: "restart" },
    ),
    leaked_passwords_file: text(
      "Path of a sorted file of SHA-1 digests of leaked passwords, one `DIGEST:COUNT` a line, as Have I Been Pwned distributes it. Correct passwords are compared with it.",
      { reload: "restart" },
    ),
  },
);

export function validateRisk({ auth }: Config, { problem, warning }: Judgement): void {
  const { risk, controls } = auth;
  const known: readonly string[] = riskResponses;
  for (const level of ["suspicious", "dangerous"] as const) {
    if (risk[level].responses.some((name) => !known.includes(name))) {
      problem(`auth.risk.${level}.responses`, messages.mustBe(`a list of ${known.join(", ")}`));
    }
  }
  if (risk.dangerous.score < risk.suspicious.score) {
    problem("auth.risk.dangerous.score", messages.tooSmall("auth.risk.suspicious.score"));
  }
  if (risk.mode === "enforce" && !controls.enabled.includes("brute_force")) {
    warning("auth.risk.mode", messages.needsBruteForce);
  }
}
