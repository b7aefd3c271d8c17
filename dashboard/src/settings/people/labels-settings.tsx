import { useQuery } from '@tanstack/react-query';
import { Tag } from 'lucide-react';
import { useState } from 'react';
import { type Label, type LabelColor, labelColors } from '../../../../contract/labels.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { LabelChip } from '../../labels/label-chips.tsx';
import { labelsQuery } from '../../labels/label-data.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { CreateButton, EntityList } from '../parts/entity-list.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Row } from '../parts/rows.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { reload } from '../settings-data.ts';
import { DeleteLabel } from './delete-label.tsx';

export default function LabelsSettings() {
  const labels = useQuery(labelsQuery);
  const [open, setOpen] = useState<Label | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Label | null>(null);
  return (
    <Section
      title={t('settings.labels')}
      description={t('labels.text')}
      actions={<CreateButton label={t('labels.new')} onClick={() => setOpen('new')} />}
    >
      <Answer query={labels}>
        {(list) => (
          <EntityList
            label={t('settings.labels')}
            items={list}
            empty={{
              icon: <Tag className="size-4" />,
              title: t('labels.emptyTitle'),
              text: t('labels.emptyText'),
            }}
            search={{ label: t('labels.searchList'), textOf: (label) => label.name }}
            row={(label) => (
              <Row
                key={label.id}
                title={<LabelChip label={label} />}
                text={label.description || undefined}
                onOpen={() => setOpen(label)}
              />
            )}
          />
        )}
      </Answer>
      {open && (
        <LabelForm
          label={open === 'new' ? null : open}
          onClose={() => setOpen(null)}
          onDelete={(label) => {
            setOpen(null);
            setDeleting(label);
          }}
        />
      )}
      {deleting && <DeleteLabel label={deleting} onClose={() => setDeleting(null)} />}
    </Section>
  );
}

function LabelForm({
  label,
  onClose,
  onDelete,
}: {
  label: Label | null;
  onClose(): void;
  onDelete(label: Label): void;
}) {
  const [name, setName] = useState(label?.name ?? '');
  const [color, setColor] = useState<LabelColor>(label?.color ?? 'blue');
  const [description, setDescription] = useState(label?.description ?? '');
  const submit = async () => {
    const body = { name: name.trim(), color, description };
    if (label) await api('PATCH', `/labels/${label.id}`, { body });
    else await api('POST', '/labels', { body });
    await reload(keys.labels);
  };
  return (
    <FormDialog
      title={label ? t('labels.editOne') : t('labels.new')}
      action={label ? t('ui.save') : t('ui.create')}
      ready={name.trim() !== ''}
      onSubmit={submit}
      onClose={onClose}
      onDelete={label ? () => onDelete(label) : undefined}
    >
      <TextField
        label={t('labels.name')}
        autoFocus
        value={name}
        maxLength={limits.labelNameLength}
        onChange={setName}
      />
      <ColorChoice color={color} onChange={setColor} />
      <TextField
        label={t('labels.description')}
        hint={t('labels.descriptionHint')}
        value={description}
        maxLength={limits.labelDescriptionLength}
        onChange={setDescription}
      />
    </FormDialog>
  );
}

function ColorChoice({ color, onChange }: { color: LabelColor; onChange(color: LabelColor): void }) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{t('labels.color')}</legend>
      <div className="flex flex-wrap gap-1">
        {labelColors.map((one) => (
          <label
            key={one}
            title={t(`labels.color.${one}`)}
            className={cx(
              'flex size-8 items-center justify-center rounded-control hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent',
              one === color && 'bg-pressed',
            )}
          >
            <input
              type="radio"
              name="label-color"
              className="sr-only"
              aria-label={t(`labels.color.${one}`)}
              checked={one === color}
              onChange={() => onChange(one)}
            />
            <span aria-hidden className="size-4 rounded-full" style={{ background: `var(--hue-${one})` }} />
          </label>
        ))}
      </div>
    </fieldset>
  );
}
