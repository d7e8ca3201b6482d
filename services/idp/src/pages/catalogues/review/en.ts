/** Texts about suspicious sign-ins. */
export const review = {
  "home.review_hint": "Unusual sign-ins: {count}",
  "review.title": "Was this you?",
  "review.intro": "These sign-ins used your password and look unusual.",
  "review.none_title": "Unusual sign-ins",
  "review.none": "There are no unusual sign-ins.",
  "review.unknown_place": "Unknown location",
  "review.time": "Time:",
  "review.program": "App:",
  "review.refused": "This sign-in was blocked.",
  "review.mine": "Yes, it was me",
  "review.how_to_confirm":
    "To confirm a sign-in, use a device on which you were signed in before all of these sign-ins, or two-step verification that you had set up before them.",
  "review.doubted_title": "We need proof from before",
  "review.doubted_text":
    "There were unusual sign-ins to your account. To continue, use a device on which you were signed in before them, or two-step verification that you had set up before them. If you have neither, contact your help desk.",
  "review.not_mine_text":
    "If you don’t recognize one of these sign-ins, secure your account. This signs you out on all other devices and in all apps, deletes your app passwords and disconnects applications. Then change your password.",
  "review.not_mine": "No, secure my account",
  "review.change_password": "Change your password",
  "review.check_text":
    "If someone else knew your password, also check two-step verification: remove any authenticator app or passkey that isn’t yours, and create new recovery codes.",
  "review.check": "Check two-step verification",
  "done.sign_in_confirmed": "Thank you. This sign-in is confirmed.",
  "done.account_secured":
    "You’re signed out on all other devices and in all apps, and your app passwords are deleted. Change your password now.",
} as const;
