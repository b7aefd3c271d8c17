import { useEffect, useState } from 'react';
import { limits } from '../../../contract/limits.ts';
import { useMay } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { TextArea } from '../ui/controls/input.tsx';

interface TitleEditorProps {
  value: string;
  onCommit(title: string): void;
}

/** Edits the title in place. An empty title is rejected. */
export function TitleEditor(props: TitleEditorProps) {
  if (useMay('records.edit')) return <TitleArea {...props} />;
  return <h2 className="py-1 text-xl font-semibold tracking-tight wrap-anywhere">{props.value}</h2>;
}

function TitleArea({ value, onCommit }: TitleEditorProps) {
  const [text, setText] = useState(value);
  const [isEditing, setIsEditing] = useState(false);
  useEffect(() => {
    if (!isEditing) setText(value);
  }, [value, isEditing]);
  return (
    <TextArea
      aria-label={t('record.field.title')}
      rows={1}
      maxLength={limits.titleLength}
      value={text}
      onFocus={() => setIsEditing(true)}
      onChange={(event) => setText(event.target.value.replace(/\n/g, ' '))}
      onBlur={() => {
        setIsEditing(false);
        const title = text.trim();
        if (title && title !== value) onCommit(title);
        else setText(value);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        if (event.key === 'Escape') setText(value);
        event.preventDefault();
        event.stopPropagation();
        event.currentTarget.blur();
      }}
      className="-mx-2 w-[calc(100%+16px)]! border-transparent! bg-transparent! px-2! text-xl! font-semibold tracking-tight hover:bg-hover! focus:bg-surface!"
    />
  );
}
