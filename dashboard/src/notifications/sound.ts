/** Two short tones, synthesized: a file would have to be loaded first. */
let audio: AudioContext | null = null;

export function playSound(): void {
  try {
    audio ??= new AudioContext();
    // Browsers stay silent until the user has interacted with the page.
    void audio.resume();
    for (const [at, pitch] of [
      [0, 660],
      [0.12, 880],
    ] as const) {
      const begin = audio.currentTime + at;
      const tone = audio.createOscillator();
      const loudness = audio.createGain();
      tone.frequency.value = pitch;
      loudness.gain.setValueAtTime(0, begin);
      loudness.gain.linearRampToValueAtTime(0.12, begin + 0.01);
      loudness.gain.exponentialRampToValueAtTime(0.001, begin + 0.22);
      tone.connect(loudness).connect(audio.destination);
      tone.start(begin);
      tone.stop(begin + 0.25);
    }
  } catch {
    // No sound device: the notification is still in the list.
  }
}
