import {
  AlignLeft,
  AtSign,
  Calendar,
  CalendarClock,
  CircleDot,
  Coins,
  Hash,
  Link2,
  ListChecks,
  Phone,
  ToggleLeft,
  Type,
} from 'lucide-react';
import type { FieldType } from '../../../contract/limits.ts';
import { t } from '../texts/texts.ts';

const icons: { [type in FieldType]: typeof Type } = {
  text: Type,
  textarea: AlignLeft,
  number: Hash,
  currency: Coins,
  date: Calendar,
  datetime: CalendarClock,
  select: CircleDot,
  multiselect: ListChecks,
  boolean: ToggleLeft,
  email: AtSign,
  phone: Phone,
  url: Link2,
};

export function FieldIcon({ type, className = 'size-3.5' }: { type: FieldType; className?: string }) {
  const Icon = icons[type];
  return <Icon aria-hidden className={className} />;
}

export const fieldTypeName = (type: FieldType): string => t(`fields.type.${type}`);
