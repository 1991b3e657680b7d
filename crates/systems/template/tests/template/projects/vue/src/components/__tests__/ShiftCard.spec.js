import { mount } from '@vue/test-utils'
import { expect, test } from 'vitest'
import ShiftCard from '../ShiftCard.vue'

test('a card names the nurse', () => {
  const card = mount(ShiftCard, { props: { shift: { nurse: 'Ida' } } })
  expect(card.text()).toContain('Ida')
})
