/** The collections of articles: create, rename, put in order and into each other, delete. */
import { announce } from '@atlaskit/pragmatic-drag-and-drop-live-region';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Ellipsis, Folder, SquarePen, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { KnowledgeCollection } from '../../../../contract/knowledge-collections.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { refresh } from '../../data/refresh.ts';
import { CreateButton } from '../../settings/parts/entity-list.tsx';
import { FormDialog } from '../../settings/parts/form-dialog.tsx';
import { Rows } from '../../settings/parts/rows.tsx';
import { Answer } from '../../settings/parts/section.tsx';
import { languageName } from '../../texts/language-name.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/overlays/menu.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { collectionsQuery, helpCenterQuery, knowledgeKeys } from '../knowledge-data.ts';
import { toItem } from '../knowledge-parts.tsx';
import { type PlacedCollection, placeCollections, possibleParents, reordered } from './collection-tree.ts';

const pathOf = (id: string) => `/knowledge/collections/${encodeURIComponent(id)}`;
const readAgain = () => Promise.all([refresh(knowledgeKeys.collections), refresh(knowledgeKeys.documents)]);

type Asked = { what: 'edit' | 'delete'; collection: KnowledgeCollection } | { what: 'create' };

export function Collections() {
  const query = useQuery(collectionsQuery);
  const [asked, setAsked] = useState<Asked | null>(null);
  const moved = useRef<string | null>(null);
  const { data } = query;
  // A row that changes its place loses the focus.
  useEffect(() => {
    if (data && moved.current !== null) document.getElementById(moved.current)?.focus();
    moved.current = null;
  }, [data]);
  const move = async ({ collection, siblings }: PlacedCollection, by: -1 | 1) => {
    const changes = reordered(siblings, collection.id, by);
    if (changes.length === 0) return;
    try {
      for (const { id, order } of changes) await api('PATCH', pathOf(id), { body: { order } });
      moved.current = buttonId(collection.id, by);
      const position = siblings.indexOf(collection) + by + 1;
      announce(t('ui.sortedTo', { name: collection.name, position, count: siblings.length }));
    } catch (error) {
      toast.failed(t('knowledge.collection.moveFailed'), error);
    } finally {
      await refresh(knowledgeKeys.collections);
    }
  };
  const close = () => setAsked(null);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-start justify-between gap-4">
        <p className="text-pretty text-muted">{t('knowledge.collections.text')}</p>
        <CreateButton label={t('knowledge.collection.create')} onClick={() => setAsked({ what: 'create' })} />
      </div>
      <Answer query={query}>
        {(all) => (
          <>
            {all.length === 0 ? (
              <EmptyState
                icon={<Folder className="size-4" />}
                title={t('knowledge.collections.none')}
                text={t('knowledge.collections.noneText')}
              />
            ) : (
              <Rows label={t('knowledge.collections')}>
                {placeCollections(all).map((place) => (
                  <CollectionRow
                    key={place.collection.id}
                    place={place}
                    onMove={(by) => void move(place, by)}
                    onAsk={(what) => setAsked({ what, collection: place.collection })}
                  />
                ))}
              </Rows>
            )}
            <Link
              {...toItem('collections', 'none')}
              className="w-fit text-muted underline underline-offset-2 hover:text-ink"
            >
              {t('knowledge.collection.inNone')}
            </Link>
            {asked?.what === 'create' && <CollectionForm all={all} collection={null} onClose={close} />}
            {asked?.what === 'edit' && (
              <CollectionForm all={all} collection={asked.collection} onClose={close} />
            )}
            {asked?.what === 'delete' && (
              <DeleteCollection all={all} collection={asked.collection} onClose={close} />
            )}
          </>
        )}
      </Answer>
    </div>
  );
}

const buttonId = (id: string, by: -1 | 1) => `${by < 0 ? 'up' : 'down'}-${id}`;
const indents = ['pl-3', 'pl-9', 'pl-15'];

function CollectionRow({
  place: { collection, level, siblings },
  onMove,
  onAsk,
}: {
  place: PlacedCollection;
  onMove(by: -1 | 1): void;
  onAsk(what: 'edit' | 'delete'): void;
}) {
  const { id, name } = collection;
  const at = siblings.indexOf(collection);
  const mover = (by: -1 | 1, label: string, icon: React.ReactNode) => {
    const isEnd = at + by < 0 || at + by >= siblings.length;
    return (
      <IconButton
        id={buttonId(id, by)}
        label={label}
        tip={false}
        // Not `disabled`: the focus stays where it is when the row comes to the end.
        aria-disabled={isEnd || undefined}
        className={cx(isEnd && 'opacity-40')}
        onClick={() => onMove(by)}
      >
        {icon}
      </IconButton>
    );
  };
  return (
    <li
      className={cx(
        'flex min-h-12 items-center gap-2 border-b border-line pr-2 last:border-0',
        indents[Math.min(level, indents.length - 1)],
      )}
    >
      <Folder aria-hidden className="size-4 shrink-0 text-faint" />
      <Link
        {...toItem('collections', id)}
        title={name}
        className="min-w-0 flex-1 truncate py-2 font-medium hover:underline"
      >
        {name}
      </Link>
      {mover(-1, t('knowledge.collection.up', { name }), <ArrowUp className="size-4" />)}
      {mover(1, t('knowledge.collection.down', { name }), <ArrowDown className="size-4" />)}
      <Menu
        align="end"
        trigger={
          <IconButton label={t('knowledge.collection.actions', { name })} tip={false}>
            <Ellipsis className="size-4" />
          </IconButton>
        }
      >
        <MenuItem icon={<SquarePen className="size-4" />} onSelect={() => onAsk('edit')}>
          {t('knowledge.collection.edit')}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={<Trash2 className="size-4" />} danger onSelect={() => onAsk('delete')}>
          {t('ui.delete')}
        </MenuItem>
      </Menu>
    </li>
  );
}

interface CollectionDialogProps {
  all: readonly KnowledgeCollection[];
  onClose(): void;
}

/** Null: a new one. */
function CollectionForm({
  all,
  collection,
  onClose,
}: CollectionDialogProps & { collection: KnowledgeCollection | null }) {
  const [name, setName] = useState(collection?.name ?? '');
  const [names, setNames] = useState(collection?.names ?? {});
  const languages = useQuery(helpCenterQuery).data?.languages.slice(1) ?? [];
  const [parent, setParent] = useState(collection?.parent ?? 'none');
  const parents = possibleParents(all, collection?.id ?? null);
  const submit = async () => {
    const body = { name: name.trim(), names, parent: parent === 'none' ? null : parent };
    if (!collection) await api('POST', '/knowledge/collections', { body });
    else await api('PATCH', pathOf(collection.id), { body });
    await readAgain();
  };
  return (
    <FormDialog
      title={collection ? t('knowledge.collection.edit') : t('knowledge.collection.create')}
      action={collection ? t('ui.save') : t('ui.create')}
      ready={name.trim() !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('knowledge.collection.name')}
        value={name}
        maxLength={limits.nameLength}
        autoFocus
        onChange={setName}
      />
      {languages.map((language) => (
        <TextField
          key={language}
          label={t('knowledge.collection.nameIn', { language: languageName(language) })}
          placeholder={name}
          value={names[language] ?? ''}
          maxLength={limits.nameLength}
          onChange={(text) => setNames({ ...names, [language]: text })}
        />
      ))}
      <Field label={t('knowledge.collection.parent')}>
        {(ids) => (
          <Select
            {...ids}
            value={parent}
            onChange={setParent}
            options={[
              { value: 'none', label: t('knowledge.collection.noParent') },
              ...parents.map((place) => ({ value: place.collection.id, label: place.collection.name })),
            ]}
          />
        )}
      </Field>
    </FormDialog>
  );
}

function DeleteCollection({
  all,
  collection: { id, name, parent },
  onClose,
}: CollectionDialogProps & { collection: KnowledgeCollection }) {
  const [busy, setBusy] = useState(false);
  const above = all.find((one) => one.id === parent);
  const remove = async () => {
    setBusy(true);
    try {
      await api('DELETE', pathOf(id));
      await readAgain();
      onClose();
      toast.done(t('knowledge.collection.deleted', { name }));
    } catch (error) {
      toast.failed(t('knowledge.collection.deleteFailed'), error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('knowledge.collection.deleteTitle', { name })}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="danger" busy={busy} onClick={() => void remove()}>
            {t('ui.delete')}
          </Button>
        </>
      }
    >
      <p className="text-pretty">
        {above
          ? t('knowledge.collection.deleteInto', { name: above.name })
          : t('knowledge.collection.deleteText')}
      </p>
    </Dialog>
  );
}
