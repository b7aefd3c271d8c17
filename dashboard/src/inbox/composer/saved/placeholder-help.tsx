/** Under the text of a saved reply: placeholders to insert, and those in the text that nothing fills. */
import { CircleAlert, Plus } from 'lucide-react';
import { useKanbans } from '../../../data/queries.ts';
import { t, tn } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Menu, MenuItem, MenuLabel } from '../../../ui/overlays/menu.tsx';
import { knownPlaceholders, placeholderNames, unknownPlaceholders } from './placeholders.ts';

export interface PlaceholderHelpProps {
  text: string;
  onInsert(piece: string): void;
  /** Instead of those that people have. */
  names?: readonly string[] | undefined;
  /** Others; one that ends with a point is the beginning of a path. */
  more?: readonly string[] | undefined;
}

export default function PlaceholderHelp({
  text,
  onInsert,
  names = placeholderNames,
  more = [],
}: PlaceholderHelpProps) {
  const boards = useKanbans();
  const fields = knownPlaceholders(boards).slice(placeholderNames.length);
  const unknown = unknownPlaceholders(text, boards, names, more);
  const item = (name: string) => (
    <MenuItem key={name} onSelect={() => onInsert(`{{${name}}}`)}>
      <code className="font-mono text-sm">{`{{${name}}}`}</code>
    </MenuItem>
  );
  return (
    <div className="-mt-2 flex flex-col items-start gap-2">
      <Menu
        trigger={
          <Button size="small" icon={<Plus className="size-3.5" />}>
            {t('placeholders.insert')}
          </Button>
        }
      >
        {names.map(item)}
        {more.map((name) => item(name.endsWith('.') ? `${name}…` : name))}
        {fields.length > 0 && <MenuLabel>{t('placeholders.fields')}</MenuLabel>}
        {fields.map(item)}
      </Menu>
      {unknown.length > 0 && (
        <p role="status" className="flex gap-1.5 text-sm text-warning">
          <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span className="min-w-0 break-words">
            {tn('placeholders.unknown', unknown.length, { names: unknown.join(', ') })}
          </span>
        </p>
      )}
    </div>
  );
}
