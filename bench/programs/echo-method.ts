/** The method of the skeleton's bus: bytes there, bytes back. */
export const echo = { service: "echo", name: "echo", major: 1 } as const;
