"""What belongs to chapter 13: trained networks judged for every length."""
