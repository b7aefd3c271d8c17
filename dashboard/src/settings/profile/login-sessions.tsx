/** Where this person is signed in, and how to end it. */
import { useQuery } from '@tanstack/react-query';
import { Monitor, Smartphone } from 'lucide-react';
import { useState } from 'react';
import type { LoginSession } from '../../../../contract/accounts.ts';
import { api } from '../../data/api.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { Time } from '../../ui/display/time.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Row, RowIcon, Rows } from '../parts/rows.tsx';
import { Answer, Part } from '../parts/section.tsx';
import { loginSessionsQuery, reload, settingsKeys } from '../settings-data.ts';
import { deviceOf } from './device-name.ts';

function labelOf(session: LoginSession): string {
  const { browser, system } = deviceOf(session.userAgent);
  if (browser && system) return t('logins.on', { browser, system });
  return browser ?? system ?? t('logins.unknown');
}

export function LoginSessions() {
  const sessions = useQuery(loginSessionsQuery);
  const [busy, setBusy] = useState('');
  const end = async (which: string, path: string, done: string) => {
    setBusy(which);
    try {
      await api('DELETE', path);
      toast.done(done);
    } catch (error) {
      toast.failed(t('logins.failed'), error);
    } finally {
      // Also after a failure: the session may have ended elsewhere meanwhile.
      await reload(settingsKeys.loginSessions);
      setBusy('');
    }
  };
  const endOne = (session: LoginSession) =>
    end(session.id, `/auth/sessions/${session.id}`, t('logins.done', { device: labelOf(session) }));
  const endOthers = () => end('others', '/auth/sessions', t('logins.othersDone'));
  return (
    <Part title={t('logins.title')} text={t('logins.text')}>
      <Answer query={sessions}>
        {(list) => (
          <>
            <Rows label={t('logins.title')}>
              {list.map((session) => (
                <SessionRow
                  key={session.id}
                  session={session}
                  busy={busy === session.id}
                  onEnd={() => void endOne(session)}
                />
              ))}
            </Rows>
            {list.length > 1 && (
              <Button className="self-start" busy={busy === 'others'} onClick={() => void endOthers()}>
                {t('logins.others')}
              </Button>
            )}
          </>
        )}
      </Answer>
    </Part>
  );
}

function SessionRow({ session, busy, onEnd }: { session: LoginSession; busy: boolean; onEnd(): void }) {
  const { address, lastUsedAt, current, userAgent } = session;
  const label = labelOf(session);
  const Icon = deviceOf(userAgent).isPhone ? Smartphone : Monitor;
  return (
    <Row
      mark={
        <RowIcon>
          <Icon className="size-4" />
        </RowIcon>
      }
      title={<span title={userAgent ?? undefined}>{label}</span>}
      badges={current && <Badge hue="green">{t('logins.current')}</Badge>}
      text={
        <>
          {t('logins.used')} <Time ago at={lastUsedAt} />
          {address && ` · ${address}`}
        </>
      }
      end={
        !current && (
          <Button
            size="small"
            busy={busy}
            aria-label={t('logins.signOutOf', { device: label })}
            onClick={onEnd}
          >
            {t('logins.signOut')}
          </Button>
        )
      }
    />
  );
}
