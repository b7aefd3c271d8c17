import { useEffect, useState } from 'react';
import type { Contact } from '../../../contract/contacts.ts';
import { limits } from '../../../contract/limits.ts';
import { useMay } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { Input } from '../ui/controls/input.tsx';
import { renameContact } from './contact-actions.ts';
import { contactName } from './contact-words.tsx';

/** Edits the name in place; saved when the field is left. */
export function NameEditor({ contact }: { contact: Contact }) {
  if (useMay('contacts.edit')) return <NameInput contact={contact} />;
  return <h2 className="text-xl font-semibold tracking-tight wrap-anywhere">{contactName(contact)}</h2>;
}

function NameInput({ contact }: { contact: Contact }) {
  const value = contact.name ?? '';
  const [text, setText] = useState(value);
  const [isEditing, setIsEditing] = useState(false);
  useEffect(() => {
    if (!isEditing) setText(value);
  }, [value, isEditing]);
  return (
    <Input
      aria-label={t('contacts.name')}
      placeholder={contactName(contact)}
      maxLength={limits.nameLength}
      value={text}
      onFocus={() => setIsEditing(true)}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => {
        setIsEditing(false);
        const name = text.trim();
        if (name && name !== value) void renameContact(contact, name);
        else setText(value);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        if (event.key === 'Escape') setText(value);
        event.preventDefault();
        // After the text was put back.
        const { currentTarget } = event;
        setTimeout(() => currentTarget.blur());
      }}
      className="-mx-2 w-[calc(100%+16px)]! border-transparent! bg-transparent! px-2! text-xl! font-semibold tracking-tight hover:bg-hover! focus:bg-surface!"
    />
  );
}
