/** Asks for the name of the first administrator, whose account was made without one. */
import { type FormEvent, useState } from 'react';
import { defaultAdminName, limits } from '../../../contract/limits.ts';
import { api } from '../data/api.ts';
import { changeUser, useSignedIn } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextField } from '../ui/controls/text-field.tsx';
import { toast } from '../ui/overlays/toast.tsx';

export function NamePart() {
  const { user } = useSignedIn();
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  if (user.name !== defaultAdminName) return null;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await api('PATCH', '/auth/me', { body: { name: name.trim() } });
      changeUser({ name: name.trim() });
      toast.done(t('start.name.saved'));
    } catch (error) {
      toast.failed(t('start.name.failed'), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      onSubmit={(event) => void save(event)}
      className="flex items-start gap-2 rounded-panel border border-line p-4 max-sm:flex-col max-sm:items-stretch"
    >
      <div className="min-w-0 flex-1">
        <TextField
          label={t('start.name')}
          hint={t('start.name.hint')}
          autoComplete="name"
          maxLength={limits.nameLength}
          value={name}
          onChange={setName}
        />
      </div>
      {/* Beside the input, which stands under its label. */}
      <Button type="submit" className="sm:mt-7" busy={busy} disabled={name.trim() === ''}>
        {t('start.name.save')}
      </Button>
    </form>
  );
}
