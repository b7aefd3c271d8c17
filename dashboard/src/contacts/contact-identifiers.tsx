/** How a contact can be recognised and reached. */
import { Link } from '@tanstack/react-router';
import { Plus, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { type IdentifierKind, identifierKinds } from '../../../contract/connectors.ts';
import type { Contact, ContactIdentifier } from '../../../contract/contacts.ts';
import { ApiError, describeError } from '../data/errors.ts';
import { useChannels } from '../data/queries.ts';
import { shortDate } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { Button, IconButton } from '../ui/controls/button.tsx';
import { CopyButton } from '../ui/controls/copy-field.tsx';
import { Input } from '../ui/controls/input.tsx';
import { Select } from '../ui/controls/select.tsx';
import { changeContact, removeIdentifier } from './contact-actions.ts';
import { ContactPart, rowClass, rowsClass } from './contact-part.tsx';
import { IdentifierIcon, kindName, shownIdentifier } from './contact-words.tsx';

export function ContactIdentifiers({ contact }: { contact: Contact }) {
  const [isAdding, setAdding] = useState(false);
  const { identifiers } = contact;
  return (
    <ContactPart
      title={t('contacts.identifiers')}
      action={
        !isAdding && (
          <Button tone="quiet" icon={<Plus className="size-3.5" />} onClick={() => setAdding(true)}>
            {t('contacts.identifier.add')}
          </Button>
        )
      }
    >
      {identifiers.length > 0 ? (
        <ul aria-label={t('contacts.identifiers')} className={rowsClass}>
          {identifiers.map((one) => (
            <IdentifierRow
              key={`${one.kind} ${one.channelId} ${one.value}`}
              contact={contact}
              identifier={one}
            />
          ))}
        </ul>
      ) : (
        <p className="text-muted">{t('contacts.noIdentifiers')}</p>
      )}
      {isAdding && <AddIdentifier contact={contact} onClose={() => setAdding(false)} />}
    </ContactPart>
  );
}

function IdentifierRow({ contact, identifier }: { contact: Contact; identifier: ContactIdentifier }) {
  const { kind, value, channelId, addedAt } = identifier;
  const channel = useChannels().find(({ id }) => id === channelId);
  const shown = shownIdentifier(identifier);
  return (
    <li className={rowClass}>
      <IdentifierIcon kind={kind} className="size-4 shrink-0 text-faint" />
      <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2 py-1.5">
        <span title={shown} className="min-w-0 truncate font-medium">
          {shown}
        </span>
        <span className="text-sm text-muted">
          {kindName(kind)}
          {channel && ` · ${channel.name}`}
          {` · ${t('contacts.identifier.since', { date: shortDate(addedAt) })}`}
        </span>
      </span>
      <CopyButton value={shown} label={t('ui.copy')} />
      <IconButton
        size="small"
        label={t('contacts.identifier.remove', { value: shown })}
        onClick={() => void removeIdentifier(contact, { kind, value })}
      >
        <X className="size-3.5" />
      </IconButton>
    </li>
  );
}

/** Values that mean something on one channel only come from that channel. */
const addable = identifierKinds.filter((kind) => kind !== 'web' && kind !== 'external');

function AddIdentifier({ contact, onClose }: { contact: Contact; onClose(): void }) {
  const [kind, setKind] = useState<IdentifierKind>('phone');
  const [value, setValue] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (value.trim() === '' || busy) return;
    setBusy(true);
    setError(null);
    try {
      await changeContact(contact.id, { addIdentifiers: [{ kind, value: value.trim() }] });
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <div className="flex gap-2 max-sm:flex-wrap">
        <Select<IdentifierKind>
          label={t('contacts.identifier.kind')}
          className="w-40! shrink-0"
          value={kind}
          options={addable.map((one) => ({
            value: one,
            label: kindName(one),
            mark: <IdentifierIcon kind={one} />,
          }))}
          onChange={setKind}
        />
        <Input
          autoFocus
          aria-label={t('contacts.identifier.value')}
          placeholder={t('contacts.identifier.value')}
          aria-invalid={error ? true : undefined}
          value={value}
          onChange={(event) => setValue(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && onClose()}
          className="min-w-40 flex-1"
        />
        <Button type="submit" tone="primary" busy={busy} disabled={value.trim() === ''} className="h-8">
          {t('contacts.identifier.save')}
        </Button>
        <Button onClick={onClose} className="h-8">
          {t('ui.cancel')}
        </Button>
      </div>
      {error !== null && <Refusal error={error} />}
    </form>
  );
}

/** Where another contact has the identifier, it leads there: the two may be one person. */
function Refusal({ error }: { error: unknown }) {
  const otherId = error instanceof ApiError ? error.contactId : undefined;
  if (!otherId) {
    return (
      <p role="alert" className="text-danger">
        {describeError(error).text}
      </p>
    );
  }
  return (
    <p role="alert" className="text-danger">
      {t('contacts.identifier.taken')}{' '}
      <Link to="/contacts/$contactId" params={{ contactId: otherId }} className="font-medium underline">
        {t('contacts.identifier.openOther')}
      </Link>
    </p>
  );
}
