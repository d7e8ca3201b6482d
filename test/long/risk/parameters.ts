/** What a run may vary. Shares are of all accounts, unless a comment says otherwise. */
export interface Parameters {
  readonly name: string;
  /** Accounts with an office, and the mean number of people behind the address of one. */
  readonly office: number;
  readonly officeSize: number;
  readonly phone: number;
  readonly desktop: number;
  readonly webmail: number;
  readonly fetcher: number;
  readonly vpn: number;
  /** Share of VPN users who change the country of the exit every day. */
  readonly vpnWanders: number;
  /** Accounts that are rarely used. */
  readonly idle: number;
  readonly secondFactor: number;
  readonly leaked: number;
  /** Accounts that sometimes send many mails in an hour, each with a sign-in, and how many at most. */
  readonly senders: number;
  readonly mostSent: number;
  /** Accounts that begin during the run. */
  readonly young: number;
  /** Chances a day. */
  readonly businessTrip: number;
  readonly holiday: number;
  readonly move: number;
  readonly newProvider: number;
  /** The chance of each program. */
  readonly newProgram: number;
  /** Share of sign-ins that a person types. */
  readonly typo: number;
  /** Share of networks. */
  readonly wrongCountry: number;
  readonly wrongCity: number;
  /** Accounts that are taken over in the counted weeks. */
  readonly attacked: number;
  /** Machines that an attacker of one account uses, at least and at most. */
  readonly botnet: readonly [min: number, max: number];
  /** Sign-ins of a botnet that arrive before any of them is remembered, at most. */
  readonly burst: number;
  /** Minutes between such bursts, at most. */
  readonly pause: number;
  /** Share of attackers who look into the mailbox before they send. */
  readonly looksFirst: number;
  /** Share of their programs that name themselves. */
  readonly namesProgram: number;
  /** Accounts that one network uses within two hours, at least and at most. */
  readonly campaign: readonly [min: number, max: number];
}

/** Weights and limits were chosen with these figures, and the seed 1. */
export const tuning: Parameters = {
  name: "tuning",
  office: 0.45,
  officeSize: 25,
  phone: 0.7,
  desktop: 0.6,
  webmail: 0.45,
  fetcher: 0.04,
  vpn: 0.04,
  vpnWanders: 0.3,
  idle: 0.12,
  secondFactor: 0.08,
  leaked: 0.03,
  senders: 0.05,
  mostSent: 20,
  young: 0.03,
  businessTrip: 0.008,
  holiday: 0.005,
  move: 0.0001,
  newProvider: 0.0002,
  newProgram: 0.001,
  typo: 0.01,
  wrongCountry: 0.003,
  wrongCity: 0.03,
  attacked: 0.03,
  botnet: [30, 200],
  burst: 4,
  pause: 3,
  looksFirst: 0.3,
  namesProgram: 0.3,
  campaign: [15, 60],
};

/** Other figures than those of the tuning, for the report: more travel and VPNs, worse places, smaller and slower botnets. */
export const validation: Parameters = {
  ...tuning,
  name: "validation",
  office: 0.35,
  officeSize: 60,
  phone: 0.8,
  desktop: 0.5,
  fetcher: 0.06,
  vpn: 0.06,
  vpnWanders: 0.4,
  idle: 0.18,
  secondFactor: 0.12,
  senders: 0.08,
  mostSent: 30,
  young: 0.05,
  businessTrip: 0.012,
  holiday: 0.008,
  move: 0.0002,
  newProvider: 0.0004,
  newProgram: 0.002,
  typo: 0.02,
  wrongCountry: 0.005,
  wrongCity: 0.06,
  botnet: [15, 100],
  burst: 6,
  pause: 8,
  looksFirst: 0.5,
  namesProgram: 0.2,
  campaign: [8, 40],
};
