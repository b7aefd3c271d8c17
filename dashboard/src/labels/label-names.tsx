import { t } from '../texts/texts.ts';
import { useLabels } from './label-data.ts';

/** In the history of a card: a label may be gone. */
export default function LabelNames({ ids }: { ids: readonly string[] }) {
  const labels = useLabels();
  return <>{ids.map((id) => labels.find((one) => one.id === id)?.name ?? t('labels.gone')).join(', ')}</>;
}
