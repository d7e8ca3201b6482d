"""Signs in with Python's imaplib. Prints the messages' subjects, or what the server said about the refusal."""
import imaplib
import json
import sys

port, mechanism, user, token = sys.argv[1:]
bearer = f"auth=Bearer {token}\x01\x01"
first = f"n,a={user},\x01{bearer}" if mechanism == "OAUTHBEARER" else f"user={user}\x01{bearer}"
said = []


def answer(challenge):
    said.append(challenge.decode())
    return first.encode() if len(said) == 1 else b"\x01"


with imaplib.IMAP4("127.0.0.1", int(port)) as imap:
    try:
        imap.authenticate(mechanism, answer)
        imap.append("INBOX", "", None, b"Subject: Welcome\r\n\r\nHello.\r\n")
        imap.select("INBOX")
        _, found = imap.fetch("1", "(BODY[HEADER.FIELDS (SUBJECT)])")
        print(json.dumps({"outcome": "read", "subject": found[0][1].decode().strip()}))
    except imaplib.IMAP4.error as error:
        print(json.dumps({"outcome": "refused", "said": said[1:], "error": str(error)}))
