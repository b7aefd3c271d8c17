/** Changes that are not sent: those of an earlier visit, and what happens to them when the person signs out. */
import { useState, useSyncExternalStore } from 'react';
import { currentPerson, onSession } from '../data/session.ts';
import { prepareSignOut, signOut } from '../data/sign-in.ts';
import { type Change, dropChange } from '../data/store/changes.ts';
import * as resume from '../data/store/resume.ts';
import { dateTime } from '../texts/format.ts';
import { t, tn, withTexts } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useOnline } from './connection-banner.tsx';

const loadOutbox = withTexts('inbox', () => import('../inbox/data/outbox.ts'));

async function resumeMessage(change: Change): Promise<void> {
  const person = currentPerson();
  const outbox = await loadOutbox();
  if (currentPerson() === person) outbox.resumeMessage(change);
}

export const resumeChanges = () => resume.resumeChanges(resumeMessage);

const { unsentChanges } = resume;

/** Null: the person is not signing out. */
let atSignOut: readonly Change[] | null = null;
const listeners = new Set<() => void>();
function setAtSignOut(next: typeof atSignOut): void {
  atSignOut = next;
  for (const listener of listeners) listener();
}
onSession(() => {
  if (currentPerson() === null) setAtSignOut(null);
});

/** Signs out if nothing is stored. */
export async function askBeforeSignOut(): Promise<void> {
  const stored = resume.storedChanges();
  if (stored.length > 0) setAtSignOut(stored);
  else await signOut();
}

async function sendAndSignOut(): Promise<void> {
  await resume.sendStored(resumeMessage);
  if (!(await prepareSignOut())) return setAtSignOut(null);
  // The dialog was closed meanwhile: the person wants to stay.
  if (atSignOut) await askBeforeSignOut();
}

async function discardAndSignOut(): Promise<void> {
  for (const { id } of resume.storedChanges()) dropChange(id);
  await signOut();
}

export function UnsentChanges() {
  const changes = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => atSignOut,
  );
  return changes ? <AtSignOut changes={changes} /> : <TooOld />;
}

function AtSignOut({ changes }: { changes: readonly Change[] }) {
  const isOnline = useOnline();
  const [isSending, setSending] = useState(false);
  const send = async () => {
    setSending(true);
    await sendAndSignOut();
    setSending(false);
  };
  return (
    <Dialog
      open
      onOpenChange={() => setAtSignOut(null)}
      title={tn('unsent.signOut.title', changes.length)}
      description={t('unsent.signOut.text')}
      footer={
        <>
          <Button onClick={() => void discardAndSignOut()}>{t('unsent.signOut.discard')}</Button>
          <Button tone={isOnline ? 'plain' : 'primary'} onClick={() => void signOut()}>
            {t('unsent.signOut.keep')}
          </Button>
          {isOnline && (
            <Button tone="primary" busy={isSending} onClick={() => void send()}>
              {t('unsent.signOut.send')}
            </Button>
          )}
        </>
      }
    >
      <ChangeList changes={changes} />
    </Dialog>
  );
}

function TooOld() {
  const changes = useSyncExternalStore(unsentChanges.subscribe, unsentChanges.get);
  if (changes.length === 0) return null;
  return (
    <Dialog
      open
      once
      onOpenChange={unsentChanges.later}
      title={t('unsent.title')}
      description={t('unsent.text')}
      footer={
        <>
          <Button onClick={unsentChanges.discard}>{t('unsent.discard')}</Button>
          <Button tone="primary" onClick={() => unsentChanges.send(resumeMessage)}>
            {t('unsent.send')}
          </Button>
        </>
      }
    >
      <ChangeList changes={changes} />
    </Dialog>
  );
}

const ChangeList = ({ changes }: { changes: readonly Change[] }) => (
  <ul className="flex flex-col gap-1.5">
    {changes.map(({ id, failed, at }) => (
      <li key={id} className="flex justify-between gap-4">
        <span className="min-w-0 truncate" title={failed}>
          {failed}
        </span>
        <time className="shrink-0 text-muted">{dateTime(at)}</time>
      </li>
    ))}
  </ul>
);
