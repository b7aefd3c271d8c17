import { prepareSignOut, signOut } from '../data/sign-in.ts';
import { codeIfNeeded } from './resume-changes.ts';

/** Sends what waits, and asks about what could not be sent. */
export async function sendAndSignOut(): Promise<void> {
  if (!(await prepareSignOut())) return;
  const code = await codeIfNeeded();
  if (code) await code.askBeforeSignOut();
  else await signOut();
}
