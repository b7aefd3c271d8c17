const icon = (path: string, size = 18) => (
  <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
    <path d={path} />
  </svg>
);

export const icons = {
  close: icon('M6 6l12 12M18 6 6 18'),
  mail: icon('M4 6h16v12H4ZM4.5 7l7.5 6 7.5-6', 17),
  send: icon('M12 19V5M5.5 11.5 12 5l6.5 6.5'),
  attach: icon(
    'm20 11.5-8.2 8.2a5 5 0 0 1-7.1-7.1l8.5-8.5a3.4 3.4 0 0 1 4.8 4.8l-8.5 8.5a1.7 1.7 0 0 1-2.4-2.4l7.6-7.6',
  ),
  microphone: icon(
    'M12 15a3 3 0 0 0 3-3V6a3 3 0 0 0-6 0v6a3 3 0 0 0 3 3ZM18.5 11.5a6.5 6.5 0 0 1-13 0M12 18v3',
  ),
  smile: icon('M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM8.5 14.5a4.5 4.5 0 0 0 7 0M9 9.5h.01M15 9.5h.01', 16),
  clock: icon('M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7.5V12l3 1.8', 13),
  tick: icon('m5 12.5 4.5 4.5L19 7.5', 13),
  ticks: icon('m2 12.5 4.5 4.5L15 7.5M12.5 16l1 1L22 7.5', 15),
  file: icon('M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8ZM14 3v5h5'),
  play: icon('M8 5.5v13l10.5-6.5Z', 16),
  pause: icon('M8.5 5.5v13M15.5 5.5v13', 16),
  spark: icon(
    'M12 3.5 13.9 9a2 2 0 0 0 1.2 1.2l5.4 1.8-5.4 1.9a2 2 0 0 0-1.2 1.2L12 20.5l-1.9-5.4A2 2 0 0 0 8.9 14l-5.4-2 5.4-1.8A2 2 0 0 0 10.1 9Z',
    14,
  ),
  down: icon('M12 5v14M5.5 12.5 12 19l6.5-6.5', 14),
};
