import { useNavigate } from '@tanstack/react-router';
import { CircleCheck, LogOut, Megaphone, Monitor, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { useHasNews } from '../data/releases.ts';
import { useSignedIn } from '../data/session.ts';
import { isLanguage, languages } from '../texts/languages.ts';
import { t } from '../texts/texts.ts';
import { MenuItem, MenuLabel, MenuLine } from '../ui/overlays/menu.tsx';
import { chooseAvailability } from './availability.ts';
import { chooseLanguage, useLanguage } from './language.ts';
import { NewsDot } from './news-dot.tsx';
import { sendAndSignOut } from './sign-out.ts';
import { chooseTheme, type Theme, useTheme } from './theme.ts';

const themes: { value: Theme; label: () => string; icon: ReactNode }[] = [
  { value: 'light', label: () => t('theme.light'), icon: <Sun className="size-4" /> },
  { value: 'dark', label: () => t('theme.dark'), icon: <Moon className="size-4" /> },
  { value: 'system', label: () => t('theme.system'), icon: <Monitor className="size-4" /> },
];

/** Loaded while the browser is idle, or with the first sign that the menu is wanted. */
export function PersonMenuItems() {
  const { user } = useSignedIn();
  const theme = useTheme();
  const language = useLanguage();
  const hasNews = useHasNews();
  const isAway = user.availability === 'away';
  const navigate = useNavigate();
  return (
    <>
      <MenuLabel>{user.email}</MenuLabel>
      <MenuItem
        icon={<CircleCheck className="size-4" />}
        checked={!isAway}
        stay
        onSelect={() => void chooseAvailability(isAway ? 'available' : 'away')}
      >
        {t('availability.available')}
      </MenuItem>
      <MenuLine />
      {themes.map(({ value, label, icon }) => (
        <MenuItem key={value} icon={icon} checked={theme === value} stay onSelect={() => chooseTheme(value)}>
          {label()}
        </MenuItem>
      ))}
      <MenuLine />
      {Object.entries(languages).map(([value, name]) => (
        <MenuItem
          key={value}
          icon={
            <span aria-hidden className="text-xs font-semibold uppercase">
              {value}
            </span>
          }
          checked={language === value}
          onSelect={() => isLanguage(value) && void chooseLanguage(value)}
        >
          {name}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem icon={<Megaphone className="size-4" />} onSelect={() => void navigate({ to: '/whats-new' })}>
        <span className="flex items-center justify-between gap-2">
          {t('news.title')}
          {hasNews && (
            <>
              <NewsDot />
              <span className="sr-only">{t('news.unread')}</span>
            </>
          )}
        </span>
      </MenuItem>
      <MenuItem icon={<LogOut className="size-4" />} onSelect={() => void sendAndSignOut()}>
        {t('rail.signOut')}
      </MenuItem>
    </>
  );
}
