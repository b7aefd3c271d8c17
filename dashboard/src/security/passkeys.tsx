import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { limits } from '../../../contract/limits.ts';
import type { Factors, Passkey } from '../../../contract/sign-in/second-factors.ts';
import { api } from '../data/api.ts';
import { Row, RowIcon, Rows } from '../settings/parts/rows.tsx';
import { Part } from '../settings/parts/section.tsx';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextField } from '../ui/controls/text-field.tsx';
import { Time } from '../ui/display/time.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { ConfirmPerson } from './confirm-person.tsx';
import { factorAdded, reloadFactors } from './factor-data.ts';
import { createPasskey, passkeysWork } from './passkey.ts';
import { NewCodes } from './recovery-codes.tsx';

export function Passkeys({ factors }: { factors: Factors }) {
  const [isNew, setNew] = useState(false);
  const [removing, setRemoving] = useState<Passkey | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const canAdd = factors.passkeysAvailable && passkeysWork();
  const remove = async (passkey: Passkey, body: object) => {
    await api('POST', `/auth/passkeys/${passkey.id}/remove`, { body });
    toast.done(t('security.passkeyRemoved'));
    await reloadFactors();
  };
  return (
    <Part
      title={t('security.passkeys')}
      text={canAdd ? t('security.passkeysText') : t('security.noPasskeys')}
    >
      {factors.passkeys.length > 0 && (
        <Rows label={t('security.passkeys')}>
          {factors.passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onRemove={() => setRemoving(passkey)} />
          ))}
        </Rows>
      )}
      {canAdd && (
        <Button className="self-start" onClick={() => setNew(true)}>
          {t('security.addPasskey')}
        </Button>
      )}
      {isNew && <NewPasskey factors={factors} onCodes={setCodes} onClose={() => setNew(false)} />}
      {removing && (
        <ConfirmPerson
          factors={factors}
          title={t('security.removePasskey', { name: removing.name })}
          text={t('security.removePasskeyText')}
          action={t('security.remove')}
          onConfirm={(body) => remove(removing, body)}
          onClose={() => setRemoving(null)}
        />
      )}
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

function PasskeyRow({ passkey, onRemove }: { passkey: Passkey; onRemove(): void }) {
  const { name, lastUsedAt } = passkey;
  return (
    <Row
      mark={
        <RowIcon>
          <KeyRound className="size-4" />
        </RowIcon>
      }
      title={name}
      text={
        lastUsedAt === null ? (
          t('security.passkeyUnused')
        ) : (
          <>
            {t('security.passkeyUsed')} <Time ago at={lastUsedAt} />
          </>
        )
      }
      end={
        <Button size="small" aria-label={t('security.removePasskey', { name })} onClick={onRemove}>
          {t('security.remove')}
        </Button>
      }
    />
  );
}

function NewPasskey({
  factors,
  onCodes,
  onClose,
}: {
  factors: Factors;
  onCodes(codes: string[]): void;
  onClose(): void;
}) {
  const [name, setName] = useState('');
  const add = async (confirmation: object) => {
    const { options } = await api<{ options: object }>('POST', '/auth/passkeys/registration', {
      body: confirmation,
    });
    const body = { name: name.trim(), passkey: await createPasskey(options) };
    const { recoveryCodes } = await api<{ recoveryCodes: string[] | null }>('POST', '/auth/passkeys', {
      body,
    });
    toast.done(t('security.passkeyAdded'));
    if (recoveryCodes) onCodes(recoveryCodes);
    else await factorAdded();
  };
  return (
    <ConfirmPerson
      factors={factors}
      title={t('security.addPasskey')}
      text={t('security.addPasskeyText')}
      action={t('security.addPasskey')}
      ready={name.trim() !== ''}
      onConfirm={add}
      onClose={onClose}
    >
      <TextField
        label={t('security.passkeyName')}
        hint={t('security.passkeyNameHint')}
        autoFocus
        maxLength={limits.nameLength}
        value={name}
        onChange={setName}
      />
    </ConfirmPerson>
  );
}
