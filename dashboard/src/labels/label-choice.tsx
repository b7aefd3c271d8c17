/** The list of labels to choose from, with what administrators create in place. */
import { useState } from 'react';
import { limits } from '../../../contract/limits.ts';
import { useSignedIn } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import type { PickerListProps } from '../ui/controls/picker.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { LabelDot } from './label-chips.tsx';
import { createLabel, useLabels } from './label-data.ts';

export function useLabelChoice(
  onCreated: (id: string) => void,
): Pick<PickerListProps, 'label' | 'options' | 'creates' | 'empty'> {
  const labels = useLabels();
  const { user } = useSignedIn();
  const [busy, setBusy] = useState(false);
  const create = async (name: string) => {
    if (busy) return;
    setBusy(true);
    try {
      onCreated((await createLabel(name)).id);
    } catch (error) {
      toast.failed(t('labels.createFailed'), error);
    } finally {
      setBusy(false);
    }
  };
  const mayCreate = user.permissions.includes('labels.manage');
  return {
    label: t('labels.search'),
    options: labels.map(({ id, name, color }) => ({
      value: id,
      label: name,
      mark: <LabelDot color={color} />,
    })),
    creates: mayCreate
      ? {
          textOf: (name) => t('labels.create', { name }),
          maxLength: limits.labelNameLength,
          run: (name) => void create(name),
        }
      : undefined,
    empty: labels.length > 0 ? undefined : mayCreate ? t('labels.typeFirst') : t('labels.noneYet'),
  };
}
