/** The authenticator app: set-up with a QR code, and removal. */
import { useState } from 'react';
import type { Factors } from '../../../contract/sign-in/second-factors.ts';
import { api } from '../data/api.ts';
import { FormDialog } from '../settings/parts/form-dialog.tsx';
import { Part } from '../settings/parts/section.tsx';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { CopyField } from '../ui/controls/copy-field.tsx';
import { TextField } from '../ui/controls/text-field.tsx';
import { Badge } from '../ui/display/badge.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { ConfirmPerson, explained } from './confirm-person.tsx';
import { factorAdded, reloadFactors } from './factor-data.ts';
import { QrCode } from './qr-code.tsx';
import { NewCodes } from './recovery-codes.tsx';

interface Setup {
  secret: string;
  uri: string;
}

export function AppFactor({ factors }: { factors: Factors }) {
  const [asking, setAsking] = useState(false);
  const [setup, setSetup] = useState<Setup | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const finish = async (recoveryCodes: string[] | null) => {
    toast.done(t('security.appAdded'));
    if (recoveryCodes) setCodes(recoveryCodes);
    else await factorAdded();
  };
  const remove = async (body: object) => {
    await api('POST', '/auth/factors/totp/remove', { body });
    toast.done(t('security.appRemoved'));
    await reloadFactors();
  };
  return (
    <Part title={t('security.app')} text={t('security.appText')}>
      <div className="flex items-center gap-3">
        {factors.totp && <Badge hue="green">{t('security.appOn')}</Badge>}
        <Button onClick={() => setAsking(true)}>
          {factors.totp ? t('security.removeApp') : t('security.setUp')}
        </Button>
      </div>
      {asking && (
        <ConfirmPerson
          factors={factors}
          title={factors.totp ? t('security.removeApp') : t('security.setUp')}
          text={factors.totp ? t('security.removeAppText') : t('security.setUpText')}
          action={factors.totp ? t('security.remove') : t('security.continue')}
          onConfirm={
            factors.totp
              ? remove
              : async (body) => setSetup(await api<Setup>('POST', '/auth/factors/totp', { body }))
          }
          onClose={() => setAsking(false)}
        />
      )}
      {setup && <ConfirmApp setup={setup} onDone={finish} onClose={() => setSetup(null)} />}
      {codes && (
        <NewCodes
          codes={codes}
          onClose={() => {
            setCodes(null);
            void factorAdded();
          }}
        />
      )}
    </Part>
  );
}

function ConfirmApp({
  setup,
  onDone,
  onClose,
}: {
  setup: Setup;
  onDone(codes: string[] | null): Promise<unknown>;
  onClose(): void;
}) {
  const [code, setCode] = useState('');
  const submit = () =>
    explained(async () => {
      const body = { code: code.trim() };
      const { recoveryCodes } = await api<{ recoveryCodes: string[] | null }>(
        'POST',
        '/auth/factors/totp/confirm',
        { body },
      );
      await onDone(recoveryCodes);
    });
  return (
    <FormDialog
      title={t('security.setUp')}
      description={t('security.scan')}
      action={t('security.confirmCode')}
      ready={code.trim() !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <QrCode text={setup.uri} label={t('security.qr')} />
      <div className="flex flex-col gap-1">
        <span className="text-muted">{t('security.secret')}</span>
        <CopyField value={setup.secret} label={t('ui.copy')} />
      </div>
      <TextField
        label={t('security.code')}
        hint={t('security.codeHint')}
        autoComplete="one-time-code"
        inputMode="numeric"
        autoFocus
        maxLength={7}
        mono
        value={code}
        onChange={setCode}
      />
    </FormDialog>
  );
}
