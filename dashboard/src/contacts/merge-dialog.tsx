/** Finds the contact to merge with, then asks. */
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react';
import type { Contact } from '../../../contract/contacts.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Input } from '../ui/controls/input.tsx';
import { Avatar } from '../ui/display/avatar.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { ConfirmMerge } from './confirm-merge.tsx';
import { findContactsQuery } from './contact-data.ts';
import { bestIdentifier, contactName } from './contact-words.tsx';

const limit = 8;

export function MergeDialog({ contact, onClose }: { contact: Contact; onClose(): void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [other, setOther] = useState<Contact | null>(null);
  const listId = useId();
  const q = useDeferredValue(text.trim());
  const { data, isFetching } = useQuery(findContactsQuery(q, limit + 1));
  const found = (data?.items ?? []).filter(({ id }) => id !== contact.id).slice(0, limit);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, at + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
    else if (event.key === 'Enter' && found[at]) setOther(found[at]);
    else return;
    event.preventDefault();
  };
  if (other) {
    return (
      <ConfirmMerge contact={contact} other={{ id: other.id, name: contactName(other) }} onClose={onClose} />
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('contacts.merge.find')}
      description={t('contacts.merge.findText', { into: contactName(contact) })}
    >
      <Input
        autoFocus
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={found[at] ? `${listId}-${at}` : undefined}
        aria-label={t('contacts.search')}
        placeholder={t('contacts.search')}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label={t('rail.contacts')} className="mt-2 flex min-h-40 flex-col">
        {found.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the combobox that owns this list
          <div
            key={one.id}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => setOther(one)}
            onPointerMove={() => setAt(index)}
            className={cx('flex h-10 items-center gap-2.5 rounded-control px-2', index === at && 'bg-hover')}
          >
            <Avatar id={one.id} name={contactName(one)} size="medium" tip={false} />
            <span className="min-w-0 flex-1 truncate font-medium">{contactName(one)}</span>
            <span className="max-w-40 truncate text-sm text-muted">
              {bestIdentifier(one.identifiers)?.value}
            </span>
          </div>
        ))}
      </div>
      {found.length === 0 && !isFetching && (
        <p className="-mt-36 pb-28 text-center text-muted">{t('ui.nothingFound')}</p>
      )}
    </Dialog>
  );
}
