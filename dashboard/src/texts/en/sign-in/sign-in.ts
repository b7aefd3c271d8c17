export const signIn = {
  'login.with': 'Sign in with {name}',
  'login.or': 'or with a password',
  'login.forgot': 'Forgot your password?',
  'login.finishing': 'Signing you in…',
  'login.error.provider_unavailable':
    'The sign-in provider does not respond. Try again in a moment, or ask an administrator.',
  'login.error.denied': 'The sign-in was cancelled at the provider.',
  'login.error.rejected': 'The provider’s answer could not be accepted. Try again.',
  'login.error.expired': 'This sign-in has expired or was used already. Try again.',
  'login.error.no_email':
    'The provider sent no e-mail address. An administrator of the provider can change that.',
  'login.error.email_not_verified':
    'Your e-mail address is not verified at the provider. Verify it and try again.',
  'login.error.no_user': 'You don’t have access yet. Ask an administrator to invite you.',
  'login.error.unknown_role': 'The provider gave you no role that is known here. Ask an administrator.',
  'login.error.unknown_account':
    'The provider names a workspace that is not known here. Ask an administrator.',
  'login.error.other_account': 'You belong to another workspace than the one the provider names.',
  'login.error.already_linked':
    'Your e-mail address belongs to another person of the provider already. Ask an administrator.',
  'login.error.invitation_expired': 'This invitation has expired or was used already. Ask for a new one.',
  'login.error.other_email': 'This invitation is for another e-mail address than the one at the provider.',
  'login.error.account_suspended': 'This account is suspended. Ask the administrator of the instance.',
  'login.error.address_not_allowed': 'You may not sign in from this network address. Ask an administrator.',
  'login.error.unavailable': 'You could not be signed in right now. Try again in a moment.',

  'signIn.back': 'Back to sign-in',
  'signIn.forgot': 'Forgot your password?',
  'signIn.forgotText': 'Enter your e-mail address. You get a link to set a new password.',
  'signIn.forgotAsk': 'Ask an administrator of your workspace for a link to set a new password.',
  'signIn.forgotSent':
    'If this address can sign in here, a link is on its way. It is valid for one hour. Check your spam folder too.',
  'signIn.sendLink': 'Send link',
  'signIn.reset': 'Set a new password',
  'signIn.resetText': 'You are then signed out on all devices.',
  'signIn.resetSubmit': 'Set password',
  'signIn.resetDone': 'Your new password is set.',
  'signIn.newPassword': 'New password',
  'signIn.passwordHint': 'At least {min} characters.',
  'signIn.linkEnded': 'This link has expired or was used already. Ask for a new one.',
  'signIn.loginLinkText': 'This link signs you in once, without a password.',
  'signIn.invitation': 'Invitation',
  'signIn.join': 'Join {name}',
  'signIn.joinText': '{name} invited {email}.',
  'signIn.name': 'Your name',
  'signIn.accept': 'Join',
} as const;
